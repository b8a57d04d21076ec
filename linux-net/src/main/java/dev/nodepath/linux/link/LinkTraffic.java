package dev.nodepath.linux.link;

/**
 * The traffic of a link since it was made, with the headers of its frames.
 *
 * @param index of the link in its namespace
 */
public record LinkTraffic(int index, long receivedPackets, long sentPackets, long receivedBytes, long sentBytes) {}
