/** A small HTTP server for health and metrics: many ports, one thread, and clients that cannot hold it up. */
package dev.nodepath.agent.http;
