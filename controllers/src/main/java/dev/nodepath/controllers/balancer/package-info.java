/**
 * Gives Services of type LoadBalancer addresses of a range, and takes them back. It knows no routes: who emulates the
 * network leads these addresses to nodes.
 */
package dev.nodepath.controllers.balancer;
