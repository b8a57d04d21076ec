/**
 * The command line, {@code nodepath COMMAND}: one class for each command. A command reads its options, builds what it
 * needs from the modules below and runs it. No other module knows this one.
 */
package dev.nodepath.cli;
