/**
 * What Services lead to: Pods, listed as EndpointSlices and as Endpoints, and addresses of load balancers out of a
 * range. In go Services, Pods and the zones of Nodes, out come slices that differ from the present ones no more than
 * they must. It knows no rules of proxies and no routes.
 */
package dev.nodepath.controllers.endpoints;
