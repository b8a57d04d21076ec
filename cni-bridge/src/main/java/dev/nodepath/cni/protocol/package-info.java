/**
 * The words of the CNI specification: commands, variables, versions, errors, and results in the form of each version.
 * JSON is read with the path of each field for errors, and written in the order of the specification. It knows no
 * network.
 */
package dev.nodepath.cni.protocol;
