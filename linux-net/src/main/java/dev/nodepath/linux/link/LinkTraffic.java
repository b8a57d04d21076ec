package dev.nodepath.linux.link;

/**
 * What a link has carried since it was made, with the headers of its frames.
 *
 * @param index of the link in its namespace
 */
public record LinkTraffic(int index, long receivedPackets, long sentPackets, long receivedBytes, long sentBytes) {}
