/**
 * The destinations of Services: Pods, listed as EndpointSlices and as Endpoints, and addresses of load balancers out
 * of a range. Services, Pods and the zones of Nodes come in; slices go out, with as few changes as possible. It knows
 * no rules of proxies and no routes.
 */
package dev.nodepath.controllers.endpoints;
