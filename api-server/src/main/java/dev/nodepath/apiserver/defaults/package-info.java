/**
 * Values that Kubernetes 1.36 adds to objects that leave them out. Objects of the right types come in and are changed
 * in place. It checks nothing and allocates nothing.
 */
package dev.nodepath.apiserver.defaults;
