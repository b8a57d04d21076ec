/**
 * The effect of a proxy mode's rules on one packet, as values. The tracers of the modes make these values. It knows no
 * rules and no kernel.
 */
package dev.nodepath.endpoints.trace;
