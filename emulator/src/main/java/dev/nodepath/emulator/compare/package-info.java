/** {@code nodepath compare}: the same traffic through every proxy mode, checked and measured. */
package dev.nodepath.emulator.compare;
