package dev.nodepath.emulator.report;

/**
 * Something that must hold, and what was seen.
 *
 * @param mode in which mode
 * @param what must hold, as a sentence
 * @param met whether it did
 * @param observed what was seen
 */
public record Expectation(String mode, String what, boolean met, String observed) {}
