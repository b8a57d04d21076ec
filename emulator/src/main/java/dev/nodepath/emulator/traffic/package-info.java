/** Traffic with real sockets: what pods serve, and clients that call and measure it. It knows no cluster. */
package dev.nodepath.emulator.traffic;
