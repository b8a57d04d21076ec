/**
 * The user namespace in which a command works without root. It starts Java again inside, and ends with the process
 * that started it.
 */
package dev.nodepath.emulator.enclosure;
