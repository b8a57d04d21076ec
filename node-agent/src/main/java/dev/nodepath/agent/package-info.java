/**
 * The command line: one class for each command. A command reads its options, builds what it needs and runs it. No
 * other package knows this one.
 */
package dev.nodepath.agent;
