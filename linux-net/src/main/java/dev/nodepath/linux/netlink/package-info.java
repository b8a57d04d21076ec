/**
 * The netlink protocol: a socket, requests with attributes, and replies. The messages of each family are in the
 * packages named after them. It knows the header of a message and no payload.
 */
package dev.nodepath.linux.netlink;
