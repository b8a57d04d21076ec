package dev.nodepath.linux.netlink;

/**
 * A message of a transaction that the kernel refused.
 *
 * @param message its number in the transaction, from 0; 0 too if the kernel refused the transaction as a whole
 * @param errorNumber why
 * @param text the text of the extended acknowledgement; empty if there was none
 * @param offset where the refused attribute begins in the message, in bytes; 0 if the kernel does not tell
 */
public record NetlinkRefusal(int message, int errorNumber, String text, int offset) {}
