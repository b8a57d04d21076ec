/**
 * Rules in nf_tables for one attachment: masquerading and the check of source addresses. It also removes what
 * upstream's plugins left.
 */
package dev.nodepath.cni.rules;
