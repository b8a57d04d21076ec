/**
 * The automatic work of a cluster: it places Pods, keeps sets of them, lists endpoints, follows Nodes, and removes
 * objects without owners. Events of the API come in, writes to it go out. It knows no process and no network.
 */
package dev.nodepath.controllers;
