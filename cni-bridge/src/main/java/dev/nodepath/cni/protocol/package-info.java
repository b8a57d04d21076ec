/** The words of the CNI specification: commands, variables, versions and errors. It knows no network. */
package dev.nodepath.cni.protocol;
