/** Where the objects of the cluster come from. */
package dev.nodepath.endpoints.source;
