package dev.nodepath.report;

/**
 * An expectation, and the observation that meets or misses it.
 *
 * @param contender of whom
 * @param what the expectation, as a sentence
 * @param met whether it was met
 * @param observed the observation
 */
public record Check(String contender, String what, boolean met, String observed) {}
