/** Patches of objects: JSON patch, merge patch, strategic merge patch. Trees come in, new trees go out. */
package dev.nodepath.apiserver.patch;
