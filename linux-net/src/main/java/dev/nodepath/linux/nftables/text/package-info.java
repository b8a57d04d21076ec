/** Tables of nf_tables as {@code nft} lists and loads them. Values come in, text goes out. It knows no kernel. */
package dev.nodepath.linux.nftables.text;
