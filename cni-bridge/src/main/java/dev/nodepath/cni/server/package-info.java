/** The CNI plugin as a server: what the small client on disk talks to, so that a call needs no JVM of its own. */
package dev.nodepath.cni.server;
