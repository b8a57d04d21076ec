/** Named packet counters of netfilter. Rules count into them; they are read over netlink. */
package dev.nodepath.linux.nfacct;
