/**
 * Reads and checks a network's configuration. A DEL reads only the fields of a removal. It changes nothing on the
 * node.
 */
package dev.nodepath.cni.config;
