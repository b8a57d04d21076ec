/**
 * Addresses as values: IPv4, IPv6, prefixes and MAC addresses, with their parsers. They are immutable and know no
 * kernel.
 */
package dev.nodepath.linux.address;
