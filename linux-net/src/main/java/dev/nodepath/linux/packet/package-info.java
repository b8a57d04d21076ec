/**
 * Packets as the links of a network namespace carry them ({@code packet(7)}). Bytes of the kernel come in, addresses
 * and ports go out. It sends nothing, and knows no connection.
 */
package dev.nodepath.linux.packet;
