/** A cluster on one machine: nodes and pods as network namespaces. */
package dev.nodepath.emulator;
