/**
 * The nftables mode: applies each family's desired table to the kernel over netlink, and keeps it as it should be.
 * Snapshots come in, transactions go out. It knows neither the rules in detail nor the other modes.
 */
package dev.nodepath.proxy.nftables;
