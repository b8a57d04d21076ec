/**
 * What a cluster does by itself: places Pods, keeps sets of them, lists endpoints, follows Nodes, removes what has no
 * owner. Events of the API come in, writes to it go out. It knows no process and no network.
 */
package dev.nodepath.controllers;
