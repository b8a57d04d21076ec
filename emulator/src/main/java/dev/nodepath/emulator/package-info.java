/**
 * The commands of an emulated cluster: start, look at, enter, compare and stop one. A cluster is nodes and pods as
 * network namespaces of this machine.
 */
package dev.nodepath.emulator;
