/* nn/network_list.h - the table of networks, in the order of `jensen show networks`.
 * To add one, write nn/network_<id>.c and add its row here. */
#ifndef JSNI_NN_NETWORK_LIST_H
#define JSNI_NN_NETWORK_LIST_H

#define JSNI_NETWORK_LIST(X) \
    X(preactresnet34)        \
    X(resnet18)              \
    X(resnet34)              \
    X(resnet50)              \
    X(resnet101)             \
    X(efficientnet_lite0)    \
    X(efficientnet_lite1)    \
    X(efficientnet_lite2)    \
    X(efficientnet_lite3)    \
    X(efficientnet_lite4)    \
    X(mobilenetv2)           \
    X(vgg19bn)               \
    X(resnet34_plc)          \
    X(resnet50_plc)          \
    X(cnn)                   \
    X(mlp)

#endif /* JSNI_NN_NETWORK_LIST_H */
