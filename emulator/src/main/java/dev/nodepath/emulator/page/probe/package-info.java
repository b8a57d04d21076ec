/**
 * One packet that is sent for real: what the rules promise beside what sender, connection tracking, the kernels'
 * traces and the links have seen. Names come in, an answer for the page goes out. It does not know who asks.
 */
package dev.nodepath.emulator.page.probe;
