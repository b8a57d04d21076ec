/**
 * Binds Pods to Nodes. In go Pods and Nodes, out come bindings, or why no Node takes a Pod. It does not count CPU and
 * memory.
 */
package dev.nodepath.controllers.schedule;
