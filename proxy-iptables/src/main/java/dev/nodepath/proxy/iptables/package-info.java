/** Services as netfilter rules: snapshot, rule set, restore text. */
package dev.nodepath.proxy.iptables;
