package dev.nodepath.page;

/**
 * What a part's link carries in a second, as the part sees it: in is what it receives.
 *
 * @param bytesIn with the headers of the frames, as all bytes here
 */
public record Rate(long bytesIn, long bytesOut, long packetsIn, long packetsOut) {}
