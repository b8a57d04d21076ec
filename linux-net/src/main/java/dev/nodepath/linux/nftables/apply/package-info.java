/**
 * A desired table as a frame and groups, and the changes from one such table to the next. It knows no Services and no
 * kernel.
 */
package dev.nodepath.linux.nftables.apply;
