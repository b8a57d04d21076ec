/**
 * What the JDK lacks of Linux networking: links, addresses, routes and network namespaces over netlink, and the
 * iptables commands. The one native boundary of the project.
 */
package dev.nodepath.linux;
