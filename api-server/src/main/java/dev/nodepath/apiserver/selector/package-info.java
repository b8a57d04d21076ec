/** Which objects a client wants: label selectors and field selectors, read from text. It knows nothing of requests. */
package dev.nodepath.apiserver.selector;
