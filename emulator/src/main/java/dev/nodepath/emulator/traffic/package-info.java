/** Traffic over real sockets: the pods' servers, and clients that call and measure them. It knows no cluster. */
package dev.nodepath.emulator.traffic;
