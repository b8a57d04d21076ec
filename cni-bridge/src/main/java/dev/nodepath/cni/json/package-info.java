/** JSON as CNI needs it: read with the path of each field for errors, written in the order of the specification. */
package dev.nodepath.cni.json;
