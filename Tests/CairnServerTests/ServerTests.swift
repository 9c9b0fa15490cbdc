internal import CairnServer
