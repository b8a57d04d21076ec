/** Traffic with real sockets: what pods serve, and the clients that call and measure it. */
package dev.nodepath.emulator.traffic;
