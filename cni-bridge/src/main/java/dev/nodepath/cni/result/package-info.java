/** Results of a call: as values, read from a previous result, and written for each version of the specification. */
package dev.nodepath.cni.result;
