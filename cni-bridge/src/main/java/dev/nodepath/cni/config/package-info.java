/**
 * Reads and checks a network's configuration. A DEL reads only what a removal needs. It changes nothing on the node.
 */
package dev.nodepath.cni.config;
