/**
 * What the rules of a proxy mode do to one packet, as values. The tracers of the modes make them. It knows no rules
 * and no kernel.
 */
package dev.nodepath.endpoints.trace;
