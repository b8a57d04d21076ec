#!/bin/sh
# Prints Services of two endpoints each: many-services.sh NUMBER
set -eu
for i in $(seq "$1"); do
    pod=$((i % 250 + 1))
    cat <<END
---
{apiVersion: v1, kind: Service, metadata: {name: s$i}, spec: {clusterIP: 10.96.$((i / 250)).$pod, ports: [{port: 80}]}}
---
apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata: {name: s$i, labels: {kubernetes.io/service-name: s$i}}
addressType: IPv4
ports: [{port: 8080}]
endpoints: [{addresses: [10.244.1.$pod]}, {addresses: [10.244.2.$pod]}]
END
done
