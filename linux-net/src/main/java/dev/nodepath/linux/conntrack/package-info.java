/**
 * Connection tracking: flows are listed, filtered and deleted over netlink. It knows no Services; callers say which
 * flows are meant.
 */
package dev.nodepath.linux.conntrack;
