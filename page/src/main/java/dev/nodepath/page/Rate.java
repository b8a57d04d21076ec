package dev.nodepath.page;

/**
 * The traffic of a part's link in a second, from the part's view: {@code in} is received by the part.
 *
 * @param bytesIn with the headers of the frames, like all bytes here
 */
public record Rate(long bytesIn, long bytesOut, long packetsIn, long packetsOut) {}
