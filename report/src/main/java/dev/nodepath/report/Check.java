package dev.nodepath.report;

/**
 * An expectation, and the observation that meets or misses it.
 *
 * @param contender of whom
 * @param what must hold, as a sentence
 * @param met whether it did
 * @param observed the observation
 */
public record Check(String contender, String what, boolean met, String observed) {}
