/**
 * Connection tracking: flows are listed, filtered and deleted over netlink, and named counters of packets (nfacct) are
 * made and read. It knows no Services; callers say which flows are meant.
 */
package dev.nodepath.linux.conntrack;
