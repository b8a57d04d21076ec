package dev.nodepath.apiserver.rules;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.apiserver.resource.Resources;
import dev.nodepath.apiserver.store.ChangeEvent;
import dev.nodepath.apiserver.store.ObjectStore;
import dev.nodepath.apiserver.validation.Addresses;
import dev.nodepath.linux.address.IpAddress;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * The addresses and node ports that stored Services hold. It follows the store, so a failed request leaks no
 * allocation. Callers hold the store's lock.
 */
final class ServiceUse {
    private final Map<IpAddress, String> addresses = new HashMap<>();
    private final Map<Integer, String> ports = new HashMap<>();

    ServiceUse(ObjectStore store) {
        store.subscribe(Resources.SERVICES, this::changed);
    }

    boolean has(IpAddress address) {
        return addresses.containsKey(address);
    }

    boolean has(int port) {
        return ports.containsKey(port);
    }

    int addressCount() {
        return addresses.size();
    }

    private void changed(ChangeEvent event) {
        String key = event.key().toString();
        event.before().ifPresent(before -> {
            addressesOf(before).forEach(each -> addresses.remove(each, key));
            portsOf(before).forEach(each -> ports.remove(each, key));
        });
        if (event.type() != ChangeEvent.Type.DELETED) {
            addressesOf(event.object()).forEach(each -> addresses.put(each, key));
            portsOf(event.object()).forEach(each -> ports.put(each, key));
        }
    }

    static Set<IpAddress> addressesOf(ObjectNode service) {
        Set<IpAddress> addresses = new HashSet<>();
        for (JsonNode each : service.path("spec").path("clusterIPs")) {
            Addresses.parse(each.asText()).ifPresent(addresses::add);
        }
        return addresses;
    }

    static Set<Integer> portsOf(ObjectNode service) {
        Set<Integer> ports = new HashSet<>();
        for (JsonNode each : service.path("spec").path("ports")) {
            ports.add(each.path("nodePort").asInt(0));
        }
        ports.add(service.path("spec").path("healthCheckNodePort").asInt(0));
        ports.remove(0);
        return ports;
    }
}
