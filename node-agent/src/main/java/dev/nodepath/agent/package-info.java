/** The process on a node, and the command line. */
package dev.nodepath.agent;
