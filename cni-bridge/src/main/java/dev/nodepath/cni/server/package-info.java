/**
 * The plugin as a server. A small client on disk passes its call through a unix socket, so a call needs no JVM of
 * its own. It knows no CNI beyond the frame of a call.
 */
package dev.nodepath.cni.server;
