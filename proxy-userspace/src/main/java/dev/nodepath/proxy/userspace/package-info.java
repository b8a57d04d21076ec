/** Services as Netty relays: rules lead the traffic here, and the relays pass it on. */
package dev.nodepath.proxy.userspace;
