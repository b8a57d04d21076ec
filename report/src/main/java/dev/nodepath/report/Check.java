package dev.nodepath.report;

/**
 * Something that must hold, and what was seen.
 *
 * @param contender of whom
 * @param what must hold, as a sentence
 * @param met whether it did
 * @param observed what was seen
 */
public record Check(String contender, String what, boolean met, String observed) {}
